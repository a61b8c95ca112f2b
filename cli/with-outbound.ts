import type { Ctx } from '../server/platform/ctx/ctx.ts'
import type { Config } from '../server/process/config.ts'
import type { Given } from './command.ts'

/** Requests obey the same list of addresses as the server's. */
export const withOutbound = async <T>(
  { flag }: Given,
  config: Config,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> => {
  const { withDatabase } = await import('./open-database.ts')
  const { configureOutbound } = await import('../channels/protocol/outbound.ts')
  const { listOwnServices } = await import('../server/process/own-services.ts')
  configureOutbound({ allow: config.outboundAllow, own: listOwnServices(config) })
  return withDatabase(config, async ({ ctxOf }) => work(await ctxOf(flag('workspace'))))
}
