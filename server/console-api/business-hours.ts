// Business hours, as the settings and the editor of flows show them.
import {
  createBusinessHours,
  deleteBusinessHours,
  updateBusinessHours,
} from '../domain/business-hours/business-hours.ts'
import { listBusinessHours } from '../domain/business-hours/queries.ts'
import {
  BusinessHoursAnswer,
  BusinessHoursList,
  BusinessHoursParams,
  BusinessHoursRemoved,
  NewBusinessHours,
} from '../domain/business-hours/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerBusinessHoursConsoleRoutes = (app: App): void => {
  app.get(
    '/business-hours',
    {
      schema: {
        operationId: 'consoleListBusinessHours',
        summary: 'List business hours',
        response: { 200: BusinessHoursList },
      },
    },
    async ({ ctx }) => ({ businessHours: await listBusinessHours(ctx) }),
  )

  app.post(
    '/business-hours',
    {
      config: { permission: 'manage_automation' },
      schema: {
        operationId: 'consoleCreateBusinessHours',
        summary: 'Create business hours',
        body: NewBusinessHours,
        response: { 200: BusinessHoursAnswer },
      },
    },
    async ({ ctx, body }) => ({
      businessHours: await createBusinessHours(ctx, body),
    }),
  )

  app.put(
    '/business-hours/:businessHoursId',
    {
      config: { permission: 'manage_automation' },
      schema: {
        operationId: 'consoleUpdateBusinessHours',
        summary: 'Replace business hours',
        params: BusinessHoursParams,
        body: NewBusinessHours,
        response: { 200: BusinessHoursAnswer, ...errors('NOT_FOUND') },
      },
    },
    async ({ ctx, params, body }) => ({
      businessHours: await updateBusinessHours(ctx, params.businessHoursId, body),
    }),
  )

  app.delete(
    '/business-hours/:businessHoursId',
    {
      config: { permission: 'manage_automation' },
      schema: {
        operationId: 'consoleDeleteBusinessHours',
        summary: 'Delete business hours',
        params: BusinessHoursParams,
        response: { 200: BusinessHoursRemoved, ...errors('NOT_FOUND') },
      },
    },
    ({ ctx, params }) => deleteBusinessHours(ctx, params.businessHoursId),
  )
}
