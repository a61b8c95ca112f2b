// A multipart form as browsers send it; files are streamed.
// https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
import { randomUUID } from 'node:crypto'
import type { OutboundAttachment } from '../contract/channel.ts'
import type { BodyPart } from './exchange.ts'

export type FormFile = { field: string } & Pick<OutboundAttachment, 'name' | 'mimeType' | 'size' | 'open'>

export const multipart = (
  fields: Record<string, string>,
  files: readonly FormFile[],
): { body: BodyPart[]; contentType: string } => {
  const boundary = `foyer-${randomUUID()}`
  const heads = Object.entries(fields).map(([name, value]) =>
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
    ),
  )
  const contents = files.flatMap(({ field, name, mimeType, size, open }): BodyPart[] => [
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(field)}"; filename="${quoted(name)}"\r\n` +
        `content-type: ${mimeType.replace(/[\r\n]/g, '')}\r\n\r\n`,
    ),
    { open, size },
    Buffer.from('\r\n'),
  ])
  return {
    body: [...heads, ...contents, Buffer.from(`--${boundary}--\r\n`)],
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}

const quoted = (name: string): string => name.replace(/\r?\n|\r/g, '%0D%0A').replaceAll('"', '%22')
