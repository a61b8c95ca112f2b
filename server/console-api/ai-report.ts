// What the AI agent's work came to.
import { getAiReport, listEpisodes } from '../domain/ai/report.ts'
import { AiReport, AiReportQuery, EpisodeList, EpisodesQuery } from '../domain/ai/report-schema.ts'
import type { App } from '../platform/http/api.ts'

const CONFIG = { permission: 'manage_automation' } as const

export const registerAiReportConsoleRoutes = (app: App): void => {
  app.get(
    '/ai-report',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetAiReport',
        summary: 'Get what became of what the AI agent took part in',
        querystring: AiReportQuery,
        response: { 200: AiReport },
      },
    },
    ({ ctx, query }) => getAiReport(ctx, query),
  )

  app.get(
    '/ai-report/episodes',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleListAiEpisodes',
        summary: 'List the episodes behind a number of the report',
        querystring: EpisodesQuery,
        response: { 200: EpisodeList },
      },
    },
    ({ ctx, query }) => listEpisodes(ctx, query),
  )
}
