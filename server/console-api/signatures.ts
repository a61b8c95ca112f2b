// Signatures of emails: everybody has their own, and admins set the mailboxes'.
import { ChannelParams } from '../domain/channel-accounts/schema.ts'
import { ConversationParams } from '../domain/conversations/schema.ts'
import {
  FilledSignature,
  fillNewSignature,
  fillSignature,
  getMailboxSignature,
  getOwnSignature,
  Signature,
  setMailboxSignature,
  setOwnSignature,
} from '../domain/saved-replies/signatures.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerSignaturesConsoleRoutes = (app: App): void => {
  app.get(
    '/signature',
    {
      schema: {
        operationId: 'consoleGetOwnSignature',
        summary: 'Get your own email signature',
        response: { 200: Signature },
      },
    },
    ({ ctx }) => getOwnSignature(ctx),
  )

  app.put(
    '/signature',
    {
      schema: {
        operationId: 'consoleSetOwnSignature',
        summary: 'Set your own email signature',
        body: Signature,
        response: { 200: Signature },
      },
    },
    ({ ctx, body }) => setOwnSignature(ctx, body),
  )

  app.get(
    '/conversations/:conversationId/signature',
    {
      schema: {
        operationId: 'consoleFillSignature',
        summary: 'Get the signature for an email in a conversation',
        params: ConversationParams,
        response: { 200: FilledSignature, ...errors('CONVERSATION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => fillSignature(ctx, params.conversationId),
  )

  app.get(
    '/new-conversation/senders/:channelId/signature',
    {
      config: { permission: 'see_all_conversations' },
      schema: {
        operationId: 'consoleFillNewSignature',
        summary: 'Get the signature for a new email from a mailbox',
        params: ChannelParams,
        response: { 200: FilledSignature, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => fillNewSignature(ctx, params.channelId),
  )

  const config = { permission: 'admin' } as const
  app.get(
    '/channels/:channelId/signature',
    {
      config,
      schema: {
        operationId: 'consoleGetMailboxSignature',
        summary: 'Get the signature of a mailbox',
        params: ChannelParams,
        response: { 200: Signature, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getMailboxSignature(ctx, params.channelId),
  )

  app.put(
    '/channels/:channelId/signature',
    {
      config,
      schema: {
        operationId: 'consoleSetMailboxSignature',
        summary: 'Set the signature of a mailbox',
        params: ChannelParams,
        body: Signature,
        response: { 200: Signature, ...errors('CHANNEL_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => setMailboxSignature(ctx, params.channelId, body),
  )
}
