// The format of an archive, as docs/guide/export-and-import.md describes it: its manifest and its files.
import type { ArchiveResource } from '../../platform/db/tables.ts'

export const ARCHIVE_FORMAT = 'foyer-archive'
/** Raised when an older loader would misread an archive. New fields and resources are no reason. */
export const ARCHIVE_VERSION = 1
export const MANIFEST_NAME = 'manifest.json'
/** The contents of attachments, as files/<id> each. */
export const TAR_NAME = 'files.tar'

export type ArchiveFile = {
  name: string
  resource: ArchiveResource | null
  rows: number
  bytes: number
  sha256: string
}

/** Where to go on in the feed. */
export type FeedStart = {
  cursor: string
  /** The number of the event that the cursor stands after. */
  sequence: number
  /** Events after the cursor that the archive already contains. */
  included: string[]
}

export type Manifest = {
  format: typeof ARCHIVE_FORMAT
  version: number
  /** Who wrote it, and what ids in it are of: `foyer:<workspace id>`, `mbox:<address>` … */
  source: string
  takenAt: string
  createdAfter: string | null
  /** Null if it is not from a feed, or the feed stood still. */
  feed: FeedStart | null
  files: ArchiveFile[]
}

export const fileNameOf = (resource: ArchiveResource): string => `${resource}.ndjson`
