// What the AI agent is told by its workspace: a draft, and versions of it.
import {
  getGuidance,
  getVersion,
  publishGuidance,
  restoreVersion,
  saveDraft,
} from '../domain/ai/guidance/edit-guidance.ts'
import {
  DraftBody,
  DraftSaved,
  GuidanceAnswer,
  PublishBody,
  VersionAnswer,
  VersionParams,
} from '../domain/ai/guidance/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const CONFIG = { permission: 'manage_automation' } as const

export const registerAiGuidanceConsoleRoutes = (app: App): void => {
  app.get(
    '/ai-guidance',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetAiGuidance',
        summary: 'Get the AI agent’s instructions and rules: the draft and the list of versions',
        response: { 200: GuidanceAnswer },
      },
    },
    ({ ctx }) => getGuidance(ctx),
  )

  app.put(
    '/ai-guidance/draft',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleSaveAiGuidanceDraft',
        summary: 'Save the draft of the AI agent’s instructions and rules',
        description: 'Refused if somebody else saved meanwhile. Rules may be unfinished.',
        body: DraftBody,
        response: { 200: DraftSaved, ...errors('GUIDANCE_CHANGED') },
      },
    },
    ({ ctx, body }) => saveDraft(ctx, body),
  )

  app.post(
    '/ai-guidance/publish',
    {
      config: CONFIG,
      schema: {
        operationId: 'consolePublishAiGuidance',
        summary: 'Publish the draft of the AI agent’s instructions and rules',
        body: PublishBody,
        response: { 200: GuidanceAnswer, ...errors('GUIDANCE_CHANGED', 'GUIDANCE_UNCHANGED') },
      },
    },
    ({ ctx, body }) => publishGuidance(ctx, body),
  )

  app.get(
    '/ai-guidance/versions/:version',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleGetAiGuidanceVersion',
        summary: 'Get a version of the AI agent’s instructions and rules',
        params: VersionParams,
        response: { 200: VersionAnswer, ...errors('GUIDANCE_VERSION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getVersion(ctx, params.version),
  )

  app.post(
    '/ai-guidance/versions/:version/restore',
    {
      config: CONFIG,
      schema: {
        operationId: 'consoleRestoreAiGuidanceVersion',
        summary: 'Make an old version the draft',
        params: VersionParams,
        response: { 200: GuidanceAnswer, ...errors('GUIDANCE_VERSION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => restoreVersion(ctx, params.version),
  )
}
