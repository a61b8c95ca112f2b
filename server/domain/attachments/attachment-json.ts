// A file as JSON in larger statements, and as it is shown.
import { expressionBuilder, type RawBuilder } from 'kysely'
import { jsonBuildObject } from 'kysely/helpers/postgres'
import type { Tables } from '../../platform/db/tables.ts'
import { fileUrl, type Links } from '../../platform/files/links.ts'
import type { Attachment } from './schema.ts'

const file = expressionBuilder<{ f: Tables['attachments'] }, 'f'>()

export const ATTACHMENT = jsonBuildObject({
  id: file.ref('f.id'),
  type: file.ref('f.type'),
  name: file.ref('f.name'),
  mimeType: file.ref('f.mime_type'),
  size: file.ref('f.size'),
  state: file.ref('f.state'),
})
export type AttachmentRow = typeof ATTACHMENT extends RawBuilder<infer T> ? T : never

export const toAttachment = (links: Links, { state: _, ...shown }: AttachmentRow): Attachment => ({
  ...shown,
  url: fileUrl(links, shown.id),
})
