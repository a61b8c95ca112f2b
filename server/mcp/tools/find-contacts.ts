import Type from 'typebox'
import { listContacts } from '../../domain/contacts/directory-queries.ts'
import type { ContactRow, ContactsCreated, ContactsPage } from '../../domain/contacts/schema.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { decode } from '../../platform/db/json-text.ts'
import { CUSTOMER_TEXT_IS, known, lineOf } from '../tool/customer-text.ts'
import { CursorGiven, defineTool, given, limitGiven, listOf, READS } from '../tool/tool.ts'

const ROWS_MAX = 20
/** The page and its size, so that the next call may leave the limit out. */
const CURSOR_PATTERN = /^([1-9]\d{0,5})x([1-9]\d?)$/

export const findContacts = defineTool({
  name: 'find_contacts',
  scopes: ['contacts:read'],
  hints: READS,
  description: 'Find contacts by a part of their name, email, phone or username; latest activity first.',
  input: given({
    search: Type.Optional(Type.String({ maxLength: 160 })),
    cursor: CursorGiven,
    limit: limitGiven(ROWS_MAX),
  }),
  output: listOf('contacts'),
  run: async (ctx, { search, cursor, limit = ROWS_MAX }) => {
    // A row is short: a page always fits.
    const [, page = 1, pageSize = limit] = CURSOR_PATTERN.exec(cursor ?? '') ?? []
    const { contacts, nextCursor } = await readPage(ctx, search, Number(page), Number(pageSize))
    return {
      text: `${contacts.length} contacts${nextCursor ? '; there are more' : ''}.`,
      data: { contacts, nextCursor, isTruncated: nextCursor !== null, customerTextIs: CUSTOMER_TEXT_IS },
    }
  },
})

const readPage = async (ctx: Ctx, search: string | undefined, page: number, pageSize: number) => {
  const wanted = search?.trim()
  // Without sort=created, the directory has pages.
  const found = decode<ContactsPage | ContactsCreated>(
    await listContacts(ctx, { page, pageSize, ...(wanted && { search: wanted }) }),
  ) as ContactsPage
  return {
    // Past the end, the directory returns the last page again.
    contacts: found.page < page ? [] : found.contacts.map(showContactRow),
    nextCursor: page < found.totalPages ? `${page + 1}x${pageSize}` : null,
  }
}

const showContactRow = (row: ContactRow) => ({
  ...known({
    id: row.id,
    channels: row.channels,
    openCount: row.openCount,
    conversationId: row.conversationId,
    lastActivityAt: row.lastActivityAt,
  }),
  customerText: known({
    name: lineOf(row.name),
    email: lineOf(row.email),
    phone: lineOf(row.phone),
  }),
})
