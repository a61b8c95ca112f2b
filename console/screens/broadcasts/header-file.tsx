// The file of a template's header: uploaded once, checked, and kept with the draft.
import { useMutation, useQuery } from '@tanstack/react-query'
import { FileUp, X } from 'lucide-react'
import { useRef } from 'react'
import type { ApiError, WorkspaceApi } from '../../state/api.ts'
import { sizeOf } from '../../state/dates.ts'
import { keys } from '../../state/query-keys.ts'
import { useApi } from '../../state/session.tsx'
import type { Attachment } from '../../state/types.ts'
import { uploadFile } from '../../state/upload-file.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { t } from '../../words/t.ts'
import type { Draft } from './draft.ts'
import { type FileKind, KINDS } from './file-kinds.ts'

const headerFileQuery = (api: WorkspaceApi, id: string) => ({
  queryKey: [...keys.broadcasts(api.workspaceId), 'header-file', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.get<{ attachment: Attachment }>(`/attachments/${id}`, {}, signal),
  enabled: id !== '',
  retry: false,
})

/** The draft's file with a link to show it; undefined if it has none, or none any more. */
export const useHeaderFile = ({ headerFileId }: Draft): Attachment | undefined =>
  useQuery(headerFileQuery(useApi(), headerFileId)).data?.attachment

export const HeaderFile = ({
  kind,
  draft,
  isMissing,
  onChange,
}: {
  kind: FileKind
  draft: Draft
  /** Say so: somebody tried to continue without it. */
  isMissing: boolean
  onChange: (change: Partial<Draft>) => void
}) => {
  const api = useApi()
  const input = useRef<HTMLInputElement>(null)
  const { type, label, button, accept, hint } = KINDS[kind]
  const { data, error } = useQuery(headerFileQuery(api, draft.headerFileId))
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const { id } = await uploadFile(api, file, () => {}, new AbortController().signal)
      await api.post('/broadcasts/check-header', { headerAttachmentId: id, type })
      return id
    },
    onSuccess: (headerFileId) => onChange({ headerFileId }),
  })
  const problem = problemOf(upload.error) ?? (error ? t`This file has expired. Upload it again.` : null)
  const file = error ? undefined : data?.attachment
  return (
    <fieldset className="field" aria-label={label}>
      <legend className="field__label">{label}</legend>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={({ target }) => {
          const [chosen] = target.files ?? []
          if (chosen) upload.mutate(chosen)
          // The same file may be chosen again.
          target.value = ''
        }}
      />
      {file && (
        <p className="row">
          <bdi className="truncate">{file.name}</bdi>
          <span className="text-soft text-small numeric">{sizeOf(file.size)}</span>
        </p>
      )}
      <div className="row">
        <Button
          icon={FileUp}
          isBusy={upload.isPending}
          aria-invalid={(isMissing && !file) || undefined}
          onClick={() => input.current?.click()}
        >
          {file ? t`Replace` : button}
        </Button>
        {file && (
          <Button variant="ghost" icon={X} onClick={() => onChange({ headerFileId: '' })}>
            {t`Remove`}
          </Button>
        )}
      </div>
      <p className="text-soft text-small">{hint}</p>
      {problem && <Banner tone="danger">{problem}</Banner>}
      {!problem && isMissing && !file && <Banner tone="danger">{t`Upload a file for the header.`}</Banner>}
    </fieldset>
  )
}

const problemOf = (error: unknown): string | null => {
  if (!error) return null
  const { message, details = [] } = error as Partial<ApiError>
  const [first] = details
  return first ? t`The file ${first.message}.` : (message ?? t`Couldn’t upload the file.`)
}
