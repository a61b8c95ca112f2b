// What the AI agent's work came to.
import { getAiReport, listEpisodes } from '../domain/ai/report.ts'
import { AiReport, AiReportQuery, EpisodeList, EpisodesQuery } from '../domain/ai/report-schema.ts'
import { getSample, judge } from '../domain/ai/sample.ts'
import { AiSample, JudgementBody, JudgementParams } from '../domain/ai/sample-schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

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

  app.get(
    '/ai-report/sample',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetAiSample',
        summary: 'List the assumed results that people check',
        response: { 200: AiSample },
      },
    },
    ({ ctx }) => getSample(ctx),
  )

  app.put(
    '/ai-report/sample/:conversationId/:episodeId',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleJudgeAiEpisode',
        summary: 'Say whether the answers of a sampled episode were right',
        params: JudgementParams,
        body: JudgementBody,
        response: { 200: AiSample, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => judge(ctx, { ...params, ...body }),
  )
}
