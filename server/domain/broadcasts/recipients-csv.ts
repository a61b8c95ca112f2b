// A broadcast's recipients as CSV: RFC 4180, in UTF-8 with the byte order mark that Excel needs to recognise it. No
// value that a customer chose may run as a formula.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { ApiError } from '../../platform/errors.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { csvCell } from '../csv-cell.ts'
import { type BroadcastRecipient, readBroadcastRecipients } from './list-recipients.ts'
import { findBroadcast } from './queries.ts'

const BYTE_ORDER_MARK = '\ufeff'
const LINE_END = '\r\n'
const COLUMNS = ['Name', 'Phone', 'Outcome', 'Status', 'Reason', 'Code', 'Message', 'Conversation', 'Updated']

const line = (cells: readonly (string | null)[]): string => cells.map(csvCell).join(',') + LINE_END

const lineOf = (recipient: BroadcastRecipient): string => {
  const { name, phone, outcome, status, reason, messageId, conversationId, updatedAt } = recipient
  const { message = null, code = null } = reason ?? {}
  return line([name, phone, outcome, status, message, code, messageId, conversationId, updatedAt])
}

type CsvExport = { fileName: string; text: AsyncIterable<string> }

/** The table, read one page at a time. Throws BROADCAST_NOT_FOUND before the first row. */
export const exportRecipients = async (ctx: Ctx, broadcastId: string): Promise<CsvExport> => {
  const broadcast = await findBroadcast(ctx, broadcastId)
  if (!broadcast) throw new ApiError('BROADCAST_NOT_FOUND')
  const target = { type: 'broadcast', id: broadcastId, name: broadcast.templateName }
  await inTransaction(ctx, (ctx) => recordAudit(ctx, { action: 'broadcast.exported', target }))
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
