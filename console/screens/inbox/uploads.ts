// Uploads files before the message or note is sent. They belong to the conversation: they go on while another one is open.
import { useSyncExternalStore } from 'react'
import type { WorkspaceApi } from '../../state/api.ts'
import { sizeOf } from '../../state/dates.ts'
import { useSession } from '../../state/session.tsx'
import type { Attachment } from '../../state/types.ts'
import { uploadFile } from '../../state/upload-file.ts'
import { t } from '../../words/t.ts'

export type Upload = {
  key: string
  name: string
  size: number
  /** 0 to 1. */
  progress: number
  attachment?: Attachment
  problem?: string
}

export type UploadBounds = { max: number; bytesMax: number }

/** What the server takes; see UPLOAD_BYTES_MAX there. */
export const NOTE_BOUNDS: UploadBounds = { max: 20, bytesMax: 25 * 1024 * 1024 }

const NONE: readonly Upload[] = []
const kept = new Map<string, readonly Upload[]>()
const aborts = new Map<string, AbortController>()
const listeners = new Set<() => void>()
let count = 0

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const change = (place: string, next: (known: readonly Upload[]) => readonly Upload[]): void => {
  const uploads = next(kept.get(place) ?? NONE)
  if (uploads.length > 0) kept.set(place, uploads)
  else kept.delete(place)
  for (const listener of listeners) listener()
}

const patch = (place: string, key: string, more: Partial<Upload>): void =>
  change(place, (known) => known.map((upload) => (upload.key === key ? { ...upload, ...more } : upload)))

const abort = (key: string): void => {
  aborts.get(key)?.abort()
  aborts.delete(key)
}

/** `owner`: the conversation, or its note. */
export const useUploads = (api: WorkspaceApi, bounds: UploadBounds | null, owner: string) => {
  const { session } = useSession()
  const place = `${session.account.id} ${api.workspaceId} ${owner}`
  const uploads = useSyncExternalStore(subscribe, () => kept.get(place) ?? NONE)

  const add = (files: Iterable<File>): void => {
    if (!bounds) return
    let free = bounds.max - uploads.length
    for (const file of files) {
      const key = `${++count}`
      const name = file.name || t`Pasted file`
      const upload: Upload = { key, name, size: file.size, progress: 0 }
      if (free-- <= 0) upload.problem = t`Up to ${bounds.max} files per message.`
      else if (file.size > bounds.bytesMax) upload.problem = t`Over the limit of ${sizeOf(bounds.bytesMax)}.`
      else if (file.size === 0) upload.problem = t`This file is empty.`
      change(place, (known) => [...known, upload])
      if (upload.problem) continue
      const stopping = new AbortController()
      aborts.set(key, stopping)
      uploadFile(api, file, (progress) => patch(place, key, { progress }), stopping.signal)
        .then(
          (attachment) => patch(place, key, { attachment, progress: 1 }),
          (error: Error) => patch(place, key, { problem: error.message }),
        )
        .finally(() => aborts.delete(key))
    }
  }

  const remove = (key: string): void => {
    abort(key)
    change(place, (known) => known.filter((upload) => upload.key !== key))
  }

  /** Those that are uploaded already. */
  const restore = (attachments: Attachment[]): void =>
    change(place, (known) => [
      ...known,
      ...attachments.map((attachment) => ({
        key: `${++count}`,
        name: attachment.name,
        size: attachment.size,
        progress: 1,
        attachment,
      })),
    ])

  return {
    restore,
    uploads,
    ready: uploads.flatMap(({ attachment }) => attachment ?? []),
    isUploading: uploads.some(({ attachment, problem }) => !attachment && !problem),
    add,
    remove,
    clear: () => change(place, () => NONE),
  }
}
