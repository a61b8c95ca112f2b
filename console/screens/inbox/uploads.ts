// Files on their way to the server before the message that takes them. XMLHttpRequest, because fetch tells nothing of
// how far an upload is.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { WorkspaceApi } from '../../state/api.ts'
import { sizeOf } from '../../state/dates.ts'
import type { Attachment } from '../../state/types.ts'

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

const post = (url: string, file: File, onProgress: (share: number) => void, signal: AbortSignal) =>
  new Promise<Attachment>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('x-foyer-console', '1')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const body = request.response as { attachment?: Attachment; error?: { message?: string } } | null
      if (request.status < 300 && body?.attachment) resolve(body.attachment)
      else reject(new Error(body?.error?.message ?? 'The file could not be uploaded.'))
    }
    request.onerror = () => reject(new Error('The connection was lost.'))
    signal.addEventListener('abort', () => request.abort())
    const form = new FormData()
    form.append('file', file)
    request.send(form)
  })

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
      if (free-- <= 0) upload.problem = `At most ${bounds.max} files go with one message.`
      else if (file.size > bounds.bytesMax) upload.problem = `At most ${sizeOf(bounds.bytesMax)} here.`
      else if (file.size === 0) upload.problem = 'This file is empty.'
      setUploads((known) => [...known, upload])
      if (upload.problem) continue
      const abort = new AbortController()
      aborts.current.set(key, abort)
      post(api.url('/uploads'), file, (progress) => patch(key, { progress }), abort.signal).then(
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

  return { uploads, add, remove, clear: () => setUploads([]) }
}
