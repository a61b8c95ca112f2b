import type { FastifyBaseLogger } from 'fastify'
import { listen } from '../../platform/db/listen.ts'
import type { Db } from '../../platform/db/pool.ts'
import { type FeedNews, makeFeedNews } from './news.ts'
import { FEED_CHANNEL } from './relay-queries.ts'

type Options = { connectionString: string; db: Db; log: Pick<FastifyBaseLogger, 'info' | 'warn'> }

/** Hears of events that any process has numbered. */
export const listenForEvents = async ({
  connectionString,
  db,
  log,
}: Options): Promise<{ news: FeedNews; close: () => Promise<void> }> => {
  const news = makeFeedNews({ db })
  const { close } = await listen({
    connectionString,
    channels: new Set([FEED_CHANNEL]),
    name: 'events',
    onNotified: news.announce,
    onListening: news.announceAll,
    log,
  })
  return { news, close }
}
