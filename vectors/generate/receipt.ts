import { topic, type VectorFile } from './kit.js';
export function receiptVectors(): VectorFile {
  return topic('receipt', {}, []);
}
