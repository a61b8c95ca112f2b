// An archive about one person: a tar with JSON and files.
import type { Ctx } from '../../platform/ctx/ctx.ts'

export const PERSON_ARCHIVE_NAME = 'contact.tar'
export const PERSON_ARCHIVE_KEPT_MS = 24 * 3_600_000

/** Keys have no dots. */
export const keyOf = ({ workspaceId }: Pick<Ctx, 'workspaceId'>, id: string, name: string): string =>
  `${workspaceId}/exports/${id}/${name.replace('.', '-')}`

export const personArchiveKey = (ctx: Pick<Ctx, 'workspaceId'>, id: string): string =>
  keyOf(ctx, id, PERSON_ARCHIVE_NAME)
