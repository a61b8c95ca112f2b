// Actions on web chat visitors in the console.

import { requireContact } from '../domain/contacts/profile-queries.ts'
import { ContactParams } from '../domain/contacts/schema.ts'
import { readBlocks } from '../domain/visitors/block-queries.ts'
import { findVisit } from '../domain/visitors/contact-queries.ts'
import { BlockAnswer, BlockChange, VisitAnswer } from '../domain/visitors/schema.ts'
import { setVisitorBlock } from '../inbound/web/set-visitor-block.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerVisitorsConsoleRoutes = (app: App): void => {
  app.get(
    '/contacts/:contactId/visit',
    {
      schema: {
        operationId: 'consoleGetVisit',
        summary: 'Get where a contact was last on the website',
        params: ContactParams,
        response: { 200: VisitAnswer, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { contactId } }) => {
      await requireContact(ctx, contactId)
      return { visit: await findVisit(ctx, contactId) }
    },
  )

  app.get(
    '/contacts/:contactId/block',
    {
      schema: {
        operationId: 'consoleGetVisitorBlock',
        summary: 'Get whether a contact is blocked in web chat',
        params: ContactParams,
        response: { 200: BlockAnswer, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { contactId } }) => {
      await requireContact(ctx, contactId)
      return { block: await readBlocks(ctx, contactId) }
    },
  )

  app.put(
    '/contacts/:contactId/block',
    {
      config: { permission: 'manage_contacts' },
      schema: {
        operationId: 'consoleSetVisitorBlock',
        summary: 'Block or unblock a contact in web chat',
        params: ContactParams,
        body: BlockChange,
        response: { 200: BlockAnswer, ...errors('CONTACT_NOT_FOUND') },
      },
    },
    async ({ ctx, params: { contactId }, body }) => ({ block: await setVisitorBlock(ctx, contactId, body) }),
  )
}
