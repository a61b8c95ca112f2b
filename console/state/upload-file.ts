// Uses XMLHttpRequest because fetch doesn't report upload progress.

import { t } from '../words/t.ts'
import type { WorkspaceApi } from './api.ts'
import type { Attachment } from './types.ts'

/** Stores a file to attach to a message or to read; it is deleted if nothing uses it within a day. */
export const uploadFile = (
  api: WorkspaceApi,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
) =>
  new Promise<Attachment>((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', api.url('/attachments'))
    request.setRequestHeader('x-foyer-console', '1')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onload = () => {
      const body = request.response as { attachment?: Attachment; error?: { message?: string } } | null
      if (request.status < 300 && body?.attachment) resolve(body.attachment)
      else reject(new Error(body?.error?.message ?? t`Couldn’t upload the file.`))
    }
    request.onerror = () => reject(new Error(t`Connection lost.`))
    signal.addEventListener('abort', () => request.abort())
    const form = new FormData()
    form.append('file', file)
    request.send(form)
  })
