/**
 * The names of the tables that come with the package, for who does not want the tables themselves.
 * @module
 */
export const shippedNames = ['claude', 'fetch', 'server-filesystem', 'shell'] as const;
