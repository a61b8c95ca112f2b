// The recipients of a broadcast as a table for spreadsheets: RFC 4180, in UTF-8 with the mark that Excel needs to see it
// as such. Nothing that a customer named themselves may be run as a formula.
import type { Ctx } from '../../ctx.ts'
import { ApiError } from '../../errors.ts'
import { type BroadcastRecipient, readBroadcastRecipients } from './list-recipients.ts'
import { findBroadcast } from './queries.ts'

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'
const COLUMNS = ['Name', 'Phone', 'Outcome', 'Status', 'Reason', 'Code', 'Message', 'Conversation', 'Updated']

/** What makes a spreadsheet take a text for a formula, the wide forms of East Asian keyboards too. */
const FORMULA_START = /^[\s\p{Cf}]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/u
/** Digits behind a plus sign are a number whatever runs them. */
const PHONE = /^\+\d{5,15}$/

/** One value: a formula becomes a text by an apostrophe, and what has a comma, a quote or a line break is quoted. */
export const csvCell = (text: string | null): string => {
  const value = text ?? ''
  const harmless = FORMULA_START.test(value) && !PHONE.test(value) ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const line = (cells: readonly (string | null)[]): string => cells.map(csvCell).join(',') + LINE_END

const lineOf = (recipient: BroadcastRecipient): string => {
  const { name, phone, outcome, status, reason, messageId, conversationId, updatedAt } = recipient
  const { message = null, code = null } = reason ?? {}
  return line([name, phone, outcome, status, message, code, messageId, conversationId, updatedAt])
}

export type CsvExport = { fileName: string; text: AsyncIterable<string> }

/** The table, a page at a time, whatever the number of its rows. Throws BROADCAST_NOT_FOUND before the first of them. */
export const exportRecipients = async (ctx: Ctx, broadcastId: string): Promise<CsvExport> => {
  const broadcast = await findBroadcast(ctx, broadcastId)
  if (!broadcast) throw new ApiError('BROADCAST_NOT_FOUND')
  const template = broadcast.templateName.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)
  return {
    fileName: `broadcast-${template}-${broadcast.createdAt.slice(0, 10)}.csv`,
    text: linesOf(ctx, broadcastId),
  }
}

async function* linesOf(ctx: Ctx, broadcastId: string): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + line(COLUMNS)
  for await (const page of readBroadcastRecipients(ctx, broadcastId)) yield page.map(lineOf).join('')
}
