// Where the contents of attachments are kept: by a key, outside the database. A folder (folder-store.ts) or storage that
// speaks S3 (s3-store.ts); the rows in the table attachments say what is there.
import type { Readable } from 'node:stream'

export type FileRange = {
  /** The first byte. */
  start: number
  /** The last byte, which is part of it. */
  end: number
}

export type FileStore = {
  /**
   * Keeps a file under a key (see fileKey). It is durable when this returns, and whole or not there at all when it
   * throws. The same key again replaces what was there.
   */
  put(key: string, content: Buffer | Readable, options: { mimeType: string }): Promise<{ size: number }>
  /** The file's bytes, from the first one on or a part of them. Throws MissingFileError when there is none. */
  open(key: string, range?: FileRange): Promise<Readable>
  /** Removes a file. One that is not there is removed already. */
  remove(key: string): Promise<void>
}

/** The store has no file of that key. */
export class MissingFileError extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`there is no file ${key}`, options)
    this.name = 'MissingFileError'
  }
}

/** The key of an attachment's content. The last characters of an id are random: they spread files over folders. */
export const fileKey = (workspaceId: string, attachmentId: string): string =>
  `${workspaceId}/${attachmentId.slice(-2)}/${attachmentId}`
