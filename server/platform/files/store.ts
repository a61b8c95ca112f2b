// Where the contents of attachments are stored: by key, outside the database, in a folder (folder-store.ts) or
// S3-compatible storage (s3-store.ts). The attachments table says what exists.
import type { Readable } from 'node:stream'

export type FileRange = {
  /** The first byte. */
  start: number
  /** The last byte, inclusive. */
  end: number
}

export type FileStore = {
  /**
   * Stores a file under a key (see fileKey). It is durable when this returns, and either complete or absent when it
   * throws. Storing the same key again replaces the file.
   */
  put(key: string, content: Buffer | Readable, options: { mimeType: string }): Promise<{ size: number }>
  /** The file's bytes, all or a range. Throws MissingFileError if there is no such file. */
  open(key: string, range?: FileRange): Promise<Readable>
  /** Removes a file; does nothing if it does not exist. */
  remove(key: string): Promise<void>
}

/** The store has no file with that key. */
export class MissingFileError extends Error {
  constructor(key: string, options?: ErrorOptions) {
    super(`there is no file ${key}`, options)
    this.name = 'MissingFileError'
  }
}

/** The storage failed: it is down, full, or denies access. */
export class StorageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StorageError'
  }
}

/** The key of an attachment's content. The last characters of an id are random, which spreads files over folders. */
export const fileKey = (workspaceId: string, attachmentId: string): string =>
  `${workspaceId}/${attachmentId.slice(-2)}/${attachmentId}`
