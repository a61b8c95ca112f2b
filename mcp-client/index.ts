import type { McpClient } from './contract.ts'

/** Loads the protocol when it is first used. */
export const loadMcpClient = async (): Promise<McpClient> => (await import('./client.ts')).client
