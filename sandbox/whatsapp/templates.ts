// The list of a business account's templates, as the Graph API returns it.
import { isInvalid } from './graph-error.ts'
import type { BusinessAccount } from './surroundings.ts'
import type { Template } from './template.ts'
import type { World } from './world.ts'

const DEFAULT_FIELDS = ['name', 'parameter_format', 'components', 'language', 'status', 'category', 'id']
const KNOWN_FIELDS = new Set([...DEFAULT_FIELDS, 'quality_score', 'rejected_reason', 'sub_category'])
const PAGE_DEFAULT = 25

export const listTemplates = (
  world: World,
  account: BusinessAccount,
  query: URLSearchParams,
  path: string,
) => {
  const filter = (name: string): string => (query.get(name) ?? '').toLowerCase()
  const contentOf = ({ components }: Template): string =>
    components
      .map(({ text }) => text ?? '')
      .join('\n')
      .toLowerCase()
  const oneOf = (name: string, value: string): boolean => {
    const wanted = filter(name)
    return (
      !wanted ||
      wanted
        .replace(/[[\]"\s]/g, '')
        .split(',')
        .includes(value.toLowerCase())
    )
  }
  const found = [...account.templates.values()].filter(
    (template) =>
      template.name.includes(filter('name')) &&
      contentOf(template).includes(filter('content')) &&
      (template.name.includes(filter('name_or_content')) ||
        contentOf(template).includes(filter('name_or_content'))) &&
      oneOf('status', template.status) &&
      oneOf('category', template.category) &&
      oneOf('language', template.language) &&
      oneOf('quality_score', template.quality_score?.score ?? 'UNKNOWN'),
  )

  const fields = query.get('fields')?.split(',').filter(Boolean) ?? DEFAULT_FIELDS
  const unknown = fields.find((field) => !KNOWN_FIELDS.has(field))
  if (unknown)
    throw isInvalid(`Tried accessing nonexisting field (${unknown}) on node type (WhatsAppMessageTemplate)`)

  const page = pageOf(found, query, world.settings.templatesPerPageMax)
  return {
    data: page.items.map((template) => rowOf(template, fields)),
    ...pagingOf(page, query, world.baseUrl() + path),
    ...(query.has('summary') && {
      summary: {
        total_count: found.length,
        message_template_count: account.templates.size,
        message_template_limit: 250,
        are_translations_complete: true,
      },
    }),
  }
}

const rowOf = (template: Template, fields: string[]): Record<string, unknown> => {
  const all: Record<string, unknown> = {
    ...template,
    quality_score: { score: 'UNKNOWN', ...template.quality_score, date: 1_760_000_000 },
    rejected_reason: template.rejected_reason ?? 'NONE',
  }
  return Object.fromEntries(
    [...new Set([...fields, 'id'])].filter((field) => field in all).map((field) => [field, all[field]]),
  )
}

type Page<T> = { items: T[]; start: number; hasNext: boolean; limit: number }

export const pageOf = <T>(items: T[], query: URLSearchParams, limitMax: number): Page<T> => {
  const asked = Number(query.get('limit') ?? PAGE_DEFAULT)
  if (!Number.isInteger(asked) || asked < 1) throw isInvalid('Param limit must be a positive integer')
  const limit = Math.min(asked, limitMax)
  const after = query.get('after')
  const before = query.get('before')
  const start = after ? positionOf(after) + 1 : before ? Math.max(0, positionOf(before) - limit) : 0
  const page = items.slice(start, start + limit)
  return { items: page, start, hasNext: start + page.length < items.length, limit }
}

/** As Meta does: both cursors on every page that has rows, `next` and `previous` only if that page exists. */
export const pagingOf = <T>(
  { items, start, hasNext, limit }: Page<T>,
  query: URLSearchParams,
  url: string,
) => {
  if (items.length === 0) return {}
  const cursors = { before: cursorOf(start), after: cursorOf(start + items.length - 1) }
  const linkTo = (name: 'after' | 'before', cursor: string): string => {
    const link = new URLSearchParams(query)
    link.delete('after')
    link.delete('before')
    link.set('limit', String(limit))
    link.set(name, cursor)
    return `${url}?${link}`
  }
  return {
    paging: {
      cursors,
      ...(hasNext && { next: linkTo('after', cursors.after) }),
      ...(start > 0 && { previous: linkTo('before', cursors.before) }),
    },
  }
}

// Opaque to callers; Meta's are base64 of the position with "ZD" for each "=".
const cursorOf = (position: number): string =>
  Buffer.from(String(position)).toString('base64').replaceAll('=', 'ZD')

const positionOf = (cursor: string): number => {
  const position = Number(Buffer.from(cursor.replace(/(ZD)+$/, ''), 'base64').toString())
  if (!Number.isInteger(position) || position < 0) throw isInvalid('Invalid cursors values')
  return position
}
