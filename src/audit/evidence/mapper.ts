/**
 * The mapper of an audit: the same for whoever runs one and for whoever verifies it, or their actions would differ.
 * @module
 */
import { createMapper, type Mapper } from '../../mapping/mapper.js';
import { mapShell } from '../../mapping/shell.js';
import type { Mapping } from '../../mapping/table.js';

/** With a parser for rows of shell text, and without a folder or a home: a false tool stands nowhere. */
export function auditMapper(mapping: Mapping | readonly Mapping[]): Mapper {
  return createMapper(mapping, { shell: mapShell });
}
