// Files on their way: each is uploaded as soon as it is chosen, and again after a lost connection under the same id, so
// that it is stored once.
import { type Api, ApiFailure } from './api.ts'
import { createClientId } from './client-id.ts'
import { fileMaxBytes, filesMax, isAllowedName } from './file-rules.ts'
import type { Attachment } from './types.ts'

export type Upload = {
  clientId: string
  name: string
  /** Shown while it is only here. */
  preview: string | null
  state: 'uploading' | 'done' | 'failed' | 'refused'
  /** 0 to 1. */
  progress: number
  attachment: Attachment | null
}

type Item = Upload & { file: File; abort: () => void }
/** Why a file was not taken. */
export type Refusal = { why: 'type' | 'size' | 'count'; name: string }
export type Send = (
  file: File,
  clientId: string,
  onProgress: (progress: number) => void,
) => { done: Promise<Attachment>; abort: () => void }

const previewTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']
const retriesMax = 3
const retryMs = 2_000

export const sendFile =
  (api: Api, token: () => string | null): Send =>
  (file, clientId, onProgress) =>
    api.upload(token() ?? '', file, clientId, onProgress)

export const createUploads = (send: Send, onChange: () => void) => {
  let items: Item[] = []

  const start = (item: Item, tries = 0): void => {
    item.state = 'uploading'
    item.progress = 0
    const { done, abort } = send(item.file, item.clientId, (progress) => {
      item.progress = progress
      onChange()
    })
    item.abort = abort
    done.then(
      (attachment) => {
        Object.assign(item, { state: 'done', progress: 1, attachment })
        onChange()
      },
      (error: unknown) => {
        if (!items.includes(item)) return
        const isRefused = error instanceof ApiFailure && [400, 413, 415].includes(error.status)
        if (!isRefused && tries < retriesMax && navigator.onLine) {
          setTimeout(() => items.includes(item) && start(item, tries + 1), retryMs * 2 ** tries)
          return
        }
        item.state = isRefused ? 'refused' : 'failed'
        onChange()
      },
    )
    onChange()
  }
  const forget = (item: Item): void => {
    item.abort()
    if (item.preview !== null) URL.revokeObjectURL(item.preview)
  }
  const retryAll = (): void => {
    for (const item of items) if (item.state === 'failed') start(item)
  }
  addEventListener('online', retryAll)

  return {
    list: (): readonly Upload[] => items,
    add: (files: readonly File[]): Refusal | null => {
      let refusal: Refusal | null = null
      for (const file of files) {
        const { name, size, type } = file
        if (items.length >= filesMax) refusal = { why: 'count', name }
        else if (!isAllowedName(name)) refusal = { why: 'type', name }
        else if (size > fileMaxBytes || size === 0) refusal = { why: 'size', name }
        else {
          const preview = previewTypes.includes(type) ? URL.createObjectURL(file) : null
          const item: Item = {
            ...{ clientId: createClientId(), name, preview, state: 'uploading', progress: 0 },
            ...{ attachment: null, file, abort: () => {} },
          }
          items.push(item)
          start(item)
        }
      }
      return refusal
    },
    remove: (clientId: string): void => {
      const item = items.find((one) => one.clientId === clientId)
      items = items.filter((one) => one !== item)
      if (item) forget(item)
      onChange()
    },
    retry: (clientId: string): void => {
      const item = items.find((one) => one.clientId === clientId)
      if (item) start(item)
    },
    /** What was uploaded, for a message; null while something isn't. */
    take: (): Attachment[] | null => {
      const taken = items.flatMap(({ attachment }) => attachment ?? [])
      if (taken.length < items.length) return null
      for (const item of items) forget(item)
      items = []
      onChange()
      return taken
    },
    clear: (): void => {
      for (const item of items) forget(item)
      items = []
      onChange()
    },
  }
}
