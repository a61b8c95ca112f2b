// Saved replies: everybody has their own; the team's are for those who manage knowledge.
import { listSavedReplies, moveFolder, type Owned } from '../domain/saved-replies/queries.ts'
import { accountOf, deleteReply, saveReply, useReply } from '../domain/saved-replies/saved-replies.ts'
import {
  FolderChange,
  NewSavedReply,
  SavedReplyChanged,
  SavedReplyList,
  SavedReplyParams,
  UsedReply,
  UseParams,
} from '../domain/saved-replies/schema.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerSavedRepliesConsoleRoutes = (app: App): void => {
  app.get(
    '/saved-replies',
    {
      schema: {
        operationId: 'consoleListSavedReplies',
        summary: 'List saved replies',
        description: 'The team’s and your own, by name.',
        response: { 200: SavedReplyList },
      },
    },
    async ({ ctx }) => ({ savedReplies: await listSavedReplies(ctx, accountOf(ctx)) }),
  )

  registerWrites(app, 'own')
  registerWrites(app, 'shared')

  app.post(
    '/conversations/:conversationId/saved-replies/:replyId/use',
    {
      schema: {
        operationId: 'consoleUseSavedReply',
        summary: 'Use a saved reply',
        description: 'Fills in the values of the contact. Nothing is sent.',
        params: UseParams,
        response: { 200: UsedReply, ...errors('CONVERSATION_NOT_FOUND', 'NOT_FOUND') },
      },
    },
    ({ ctx, params }) => useReply(ctx, params),
  )
}

const KINDS = {
  own: { name: 'Own', label: 'your own saved replies', config: {} },
  shared: { name: 'Shared', label: 'the team’s saved replies', config: { permission: 'manage_knowledge' } },
} as const

const registerWrites = (app: App, kind: keyof typeof KINDS): void => {
  const { name, label, config } = KINDS[kind]
  const ownedBy = (ctx: Ctx, id: string): Owned => ({ id, ownerId: kind === 'own' ? accountOf(ctx) : null })

  app.put(
    `/saved-replies/${kind}/:replyId`,
    {
      config,
      schema: {
        operationId: `consoleSave${name}Reply`,
        summary: `Create or replace one of ${label}`,
        params: SavedReplyParams,
        body: NewSavedReply,
        response: { 200: SavedReplyChanged, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => saveReply(ctx, ownedBy(ctx, params.replyId), body),
  )

  app.delete(
    `/saved-replies/${kind}/:replyId`,
    {
      config,
      schema: {
        operationId: `consoleDelete${name}Reply`,
        summary: `Delete one of ${label}`,
        params: SavedReplyParams,
        response: { 200: SavedReplyChanged },
      },
    },
    ({ ctx, params }) => deleteReply(ctx, ownedBy(ctx, params.replyId)),
  )

  app.put(
    `/saved-reply-folders/${kind}`,
    {
      config,
      schema: {
        operationId: `consoleMove${name}Folder`,
        summary: `Rename a folder of ${label}, or dissolve it`,
        body: FolderChange,
        response: { 200: SavedReplyChanged },
      },
    },
    async ({ ctx, body }) => {
      await moveFolder(ctx, ownedBy(ctx, '').ownerId, body)
      return { success: true as const }
    },
  )
}
