/**
 * A name of the platform that the types of Node 20 lack and those of the MCP SDK use.
 */
type HeadersInit = ConstructorParameters<typeof Headers>[0];
