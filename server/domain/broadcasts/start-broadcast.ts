import type { TemplateDefinition } from '../../../channels/channel.ts'
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError, invalid } from '../../platform/errors.ts'
import { record } from '../../platform/events/record.ts'
import { addJob } from '../../platform/queue/add-job.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { listChannelAccounts } from '../channel-accounts/queries.ts'
import { senderTypeOf } from '../messages/send-message.ts'
import { chooseTemplate } from '../templates/choose-template.ts'
import { findHeaderUpload, problemsOfUpload } from '../templates/header-file.ts'
import { valuesOf } from '../templates/read-template-values.ts'
import { insertRecipients } from './audience-queries.ts'
import { mergedParameters, requireFields } from './merge-fields.ts'
import { findBroadcast, insertBroadcast, insertPart, setCounts } from './queries.ts'
import { readAudience } from './read-audience.ts'
import { problemsOfValues } from './read-values.ts'
import type { Broadcast, SendBroadcastBody } from './schema.ts'

/**
 * Accepts a broadcast: stores its recipients and their messages' content, and a job for each number that it is sent
 * from. Nothing is sent before the commit. Relies on prepareTemplate. Throws
 * CONTACT_GROUP_NOT_FOUND, WHATSAPP_NOT_CONNECTED, WHATSAPP_TEMPLATE_NOT_FOUND, NO_WHATSAPP_RECIPIENTS, and
 * VALIDATION_ERROR for every mistake in the audience or the values.
 */
export const startBroadcast = (ctx: Ctx, input: SendBroadcastBody): Promise<Broadcast> =>
  inTransaction(ctx, async (ctx) => {
    const { audience, parameters = [], name: title = null } = input
    const scheduledAt = readSchedule(ctx, input.scheduledAt)
    requireFields({ ...input, parameters })
    const { people, group } = await readAudience(ctx, audience)
    const senders = await sendersOf(ctx, input)
    const definitions = new Set(senders.values())
    const { parameters: _, ...header } = valuesOf(input)
    const upload = await findHeaderUpload(ctx, input)
    const problems = [
      ...(await problemsOfValues(ctx, definitions, { audience, parameters, header })),
      ...[...definitions].flatMap((definition) => problemsOfUpload(ctx, definition, upload)),
    ]
    if (problems.length > 0) throw invalid(...problems)
    const [{ name, language }] = [...definitions] as [TemplateDefinition]
    const id = ctx.newId()
    await insertBroadcast(ctx, {
      id,
      audienceType: audience.type,
      group,
      template: { name, language },
      parameters,
      senderType: senderTypeOf(ctx.actor),
      senderId: actorId(ctx.actor),
      name: title,
      scheduledAt,
      header,
    })
    const stored = await insertRecipients(
      ctx,
      id,
      people,
      [...senders.keys()],
      mergedParameters({ ...input, parameters }),
    )
    const sum = (rows: typeof stored) => rows.reduce((total, { count }) => total + count, 0)
    const reached = stored.filter(({ isSkipped }) => !isSkipped)
    if (reached.length === 0) throw new ApiError('NO_WHATSAPP_RECIPIENTS')
    await setCounts(ctx, id, { total: sum(reached), skipped: sum(stored) - sum(reached) })
    for (const { channelAccountId } of reached) {
      const definition = senders.get(channelAccountId)!
      const { renderBody, buildComponents } = ctx.channels.whatsapp
      await insertPart(ctx, id, {
        channelAccountId,
        definition,
        body: renderBody(definition, parameters),
        components: buildComponents(definition, { ...header, parameters }),
      })
      await addJob(
        ctx,
        'run_broadcast',
        { workspaceId: ctx.workspaceId, broadcastId: id, channelAccountId },
        scheduledAt ? { runAt: scheduledAt } : {},
      )
    }
    const broadcast = (await findBroadcast(ctx, id))!
    const { status, totalRecipients, sentCount, failedCount, skippedCount } = broadcast
    await record(ctx, {
      type: 'broadcast.updated',
      data: {
        broadcastId: id,
        step: 'started',
        status,
        totalRecipients,
        sentCount,
        failedCount,
        skippedCount,
      },
    })
    await recordAudit(ctx, {
      action: 'broadcast.started',
      target: { type: 'broadcast', id, name },
      changes: { audience: { to: audience.type }, totalRecipients: { to: totalRecipients } },
    })
    return broadcast
  })

const AHEAD_MAX_MS = 366 * 24 * 3_600_000

/** A time in the past means at once. */
const readSchedule = (ctx: Ctx, text: string | undefined): Date | null => {
  if (text === undefined) return null
  const at = new Date(text)
  const inMs = at.getTime() - ctx.now().getTime()
  if (!(inMs <= AHEAD_MAX_MS)) throw invalid({ field: 'scheduledAt', message: 'must be within a year' })
  return inMs > 0 ? at : null
}

/**
 * The numbers that can send the template, each with its business account's version of it. Throws
 * WHATSAPP_NOT_CONNECTED, WHATSAPP_TEMPLATE_NOT_FOUND, and VALIDATION_ERROR if the language must be specified.
 */
export const sendersOf = async (
  ctx: Ctx,
  wanted: { templateName: string; language?: string | undefined },
): Promise<Map<string, TemplateDefinition>> => {
  const accounts = await listChannelAccounts(ctx, 'whatsapp')
  if (accounts.length === 0) throw new ApiError('WHATSAPP_NOT_CONNECTED')
  const definitions = await chooseTemplate(
    ctx,
    accounts.map(({ settings }) => settings.businessAccountId),
    wanted,
  )
  return new Map(
    accounts.flatMap(({ id, settings }) => {
      const definition = definitions.get(settings.businessAccountId)
      return definition ? [[id, definition] as const] : []
    }),
  )
}
