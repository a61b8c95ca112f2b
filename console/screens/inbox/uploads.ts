// Uploads files before the message is sent.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { WorkspaceApi } from '../../state/api.ts'
import { sizeOf } from '../../state/dates.ts'
import type { Attachment } from '../../state/types.ts'
import { uploadFile } from '../../state/upload-file.ts'

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

export const useUploads = (api: WorkspaceApi, bounds: UploadBounds | null) => {
  const [uploads, setUploads] = useState<Upload[]>([])
  const aborts = useRef(new Map<string, AbortController>())
  const count = useRef(0)

  const patch = useCallback((key: string, change: Partial<Upload>) => {
    setUploads((known) => known.map((upload) => (upload.key === key ? { ...upload, ...change } : upload)))
  }, [])

  useEffect(
    () => () => {
      for (const abort of aborts.current.values()) abort.abort()
    },
    [],
  )

  const add = (files: Iterable<File>): void => {
    if (!bounds) return
    let free = bounds.max - uploads.length
    for (const file of files) {
      const key = `${++count.current}`
      const name = file.name || 'Pasted file'
      const upload: Upload = { key, name, size: file.size, progress: 0 }
      if (free-- <= 0) upload.problem = `Up to ${bounds.max} files per message.`
      else if (file.size > bounds.bytesMax) upload.problem = `Over the limit of ${sizeOf(bounds.bytesMax)}.`
      else if (file.size === 0) upload.problem = 'This file is empty.'
      setUploads((known) => [...known, upload])
      if (upload.problem) continue
      const abort = new AbortController()
      aborts.current.set(key, abort)
      uploadFile(api, file, (progress) => patch(key, { progress }), abort.signal).then(
        (attachment) => patch(key, { attachment, progress: 1 }),
        (error: Error) => patch(key, { problem: error.message }),
      )
    }
  }

  const remove = (key: string): void => {
    aborts.current.get(key)?.abort()
    aborts.current.delete(key)
    setUploads((known) => known.filter((upload) => upload.key !== key))
  }

  return {
    uploads,
    ready: uploads.flatMap(({ attachment }) => attachment ?? []),
    isUploading: uploads.some(({ attachment, problem }) => !attachment && !problem),
    add,
    remove,
    clear: () => setUploads([]),
  }
}
