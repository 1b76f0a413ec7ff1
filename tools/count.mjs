/**
 * Prints `passed failed skipped` of a vitest JSON report. A file that could not run at all counts as one failure.
 * @module
 */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const broken = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
console.log(report.numPassedTests, report.numFailedTests + broken, report.numPendingTests + report.numTodoTests);
