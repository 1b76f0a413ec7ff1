/**
 * Imported first: takes native crypto away before anything is signed. The pure path signs ESP256 by RFC 6979, so the same bytes come out each time.
 * @module
 */
import { native } from '../../src/native.js';

native.crypto = undefined;
