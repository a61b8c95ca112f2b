// The editor of an email's text, with what can be done to it.
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { useApi } from '../../../state/session.tsx'
import { uploadFile } from '../../../state/upload-file.ts'
import { toastError } from '../../../ui/toast.tsx'
import type { Content } from './document.ts'
import { type Editor, type Format, type Handlers, makeEditor } from './editor.ts'
import { FormatBar } from './format-bar.tsx'

export type RichTextHandle = Pick<Editor, 'focus' | 'replace' | 'undo' | 'withInserted'>

const NEVER = new AbortController().signal
const NO_FORMATS: ReadonlySet<Format> = new Set()

type Props = Pick<Handlers, 'onChange' | 'onSend' | 'onSlash' | 'onFiles'> & {
  ref?: Ref<RichTextHandle>
  label: string
  placeholder: string
  content: Content
  /** Below the text. */
  children?: ReactNode
}

export const RichText = ({ ref, label, placeholder, content, children, ...does }: Props) => {
  const api = useApi()
  const place = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<Editor | null>(null)
  const [formats, setFormats] = useState(NO_FORMATS)
  const [isLinking, setLinking] = useState(false)
  const handlers = useRef<Handlers | null>(null)
  handlers.current = {
    ...does,
    onSelect: setFormats,
    uploadImage: async (file) => {
      try {
        const { id, url } = await uploadFile(api, file, () => {}, NEVER)
        return { id, url, name: file.name || 'image.png' }
      } catch (error) {
        toastError(error)
        return null
      }
    },
    onLink: () => setLinking(true),
    onFocus: () => void import('../unsent.tsx'),
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: made once; what changes is shown below
  useEffect(() => {
    const made = makeEditor(place.current!, { content, label, placeholder }, () => handlers.current!)
    setEditor(made)
    return () => made.destroy()
  }, [])
  const { text, html } = content
  useEffect(() => editor?.show({ text, html }), [editor, text, html])
  useImperativeHandle(ref, () => ({
    focus: () => editor?.focus(),
    replace: (next) => editor?.replace(next),
    undo: () => editor?.undo(),
    withInserted: (inserted) => editor?.withInserted(inserted) ?? content,
  }))

  return (
    <>
      <div ref={place} />
      {children}
      <FormatBar editor={editor} formats={formats} isLinking={isLinking} onLinking={setLinking} />
    </>
  )
}
