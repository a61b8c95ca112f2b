import { ContactParams } from '../domain/contacts/schema.ts'
import { getErasure, requestErasure } from '../domain/erasures/request-erasure.ts'
import { EraseContactQuery, ErasureAnswer, ErasureParams } from '../domain/erasures/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerErasures = (app: App): void => {
  app.delete(
    '/contacts/:contactId',
    {
      config: { scope: 'contacts:erase', budget: 'change', permission: 'admin' },
      schema: {
        operationId: 'eraseContact',
        tags: ['Contacts'],
        summary: 'Erase a contact',
        description:
          'Removes a person for good, or what says who they were. Who they are is gone when the response arrives; messages, files and copies in logs follow in the background. Get the erasure to see when it is completed. The event `contact.deleted` says so as well. Someone who writes again afterwards is a new contact.',
        params: ContactParams,
        querystring: EraseContactQuery,
        response: { 200: ErasureAnswer, ...errors('CONTACT_NOT_FOUND', 'VALIDATION_ERROR') },
      },
    },
    ({ ctx, params, query }) => requestErasure(ctx, { ...params, ...query }),
  )

  app.get(
    '/erasures/:erasureId',
    {
      config: { scope: 'contacts:erase', permission: 'admin' },
      schema: {
        operationId: 'getErasure',
        tags: ['Contacts'],
        summary: 'Get an erasure',
        description: 'Whether it is completed, and how much was removed so far.',
        params: ErasureParams,
        response: { 200: ErasureAnswer, ...errors('ERASURE_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getErasure(ctx, params.erasureId),
  )
}
