import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    maxWorkers: 2,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    projects: [
      // `npm test`: no network, nothing outside the repository
      {
        extends: true,
        test: { name: 'main', include: ['test/**/*.test.ts'], exclude: ['test/outside/**', 'test/adapters/**', 'test/browser/**', '**/node_modules/**'] },
      },
      // `npm run adapters`: the agent SDKs of test/adapters/package.json
      { extends: true, test: { name: 'adapters', include: ['test/adapters/*.test.ts'] } },
      // `npm run browser`: the page of an audit in a Chromium, by the driver of test/browser/package.json
      { extends: true, test: { name: 'browser', include: ['test/browser/*.test.ts'] } },
      // `npm run test:outside`: cases that others wrote, read from a folder beside the repository
      { extends: true, test: { name: 'outside', include: ['test/outside/**/*.test.ts'] } },
    ],
  },
});
