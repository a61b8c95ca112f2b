// Documents, to be read into articles.
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { sizeOf } from '../../state/dates.ts'
import { knowledgeChanged } from '../../state/knowledge.ts'
import { useApi } from '../../state/session.tsx'
import { addFile } from '../../state/sources.ts'
import { uploadFile } from '../../state/upload-file.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { FileField } from './file-field.tsx'
import { emptyForm, settingsOf } from './item-form.ts'
import { SourceForm } from './source-form.tsx'

const FILES_MAX = 20

type Row = { key: string; file: File; problem: string | null }

export const AddFiles = () => {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [form, setForm] = useState(emptyForm)
  const [rows, setRows] = useState<Row[]>([])
  const [done, setDone] = useState<number | null>(null)
  const submit = async (): Promise<void> => {
    const left: Row[] = []
    for (const [at, row] of rows.entries()) {
      setDone(at)
      try {
        const { id } = await uploadFile(api, row.file, () => {}, new AbortController().signal)
        await addFile(api, { attachmentId: id, language: form.language, ...settingsOf(form) })
      } catch (error) {
        left.push({ ...row, problem: error instanceof Error ? error.message : t`Couldn’t upload the file.` })
      }
    }
    setDone(null)
    const added = rows.length - left.length
    if (added > 0) toast(added === 1 ? t`File uploaded` : t`${added} files uploaded`)
    await knowledgeChanged(client, api.workspaceId)
    if (left.length === 0) await navigate({ to: '/knowledge' })
    else setRows(left)
  }
  return (
    <SourceForm
      title={t`Upload files`}
      about={t`Their text becomes articles.`}
      form={form}
      error={null}
      onChange={(change) => setForm((known) => ({ ...known, ...change }))}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button type="submit" variant="primary" isBusy={done !== null} disabled={rows.length === 0}>
            {rows.length > 1 ? t`Upload ${rows.length} files` : t`Upload file`}
          </Button>
          <ButtonLink to="/knowledge" variant="ghost">
            {t`Cancel`}
          </ButtonLink>
          <span role="status" className="text-soft">
            {done !== null && t`Uploading ${done + 1} of ${rows.length}…`}
          </span>
        </>
      }
    >
      <FileField
        label={t`Choose files`}
        isMultiple
        onFiles={(files) =>
          setRows((known) =>
            [...known, ...files.map((file) => ({ key: crypto.randomUUID(), file, problem: null }))].slice(
              0,
              FILES_MAX,
            ),
          )
        }
      />
      {rows.length > 0 && (
        <ItemList label={t`Files`}>
          {rows.map(({ key, file, problem }) => (
            <Item
              key={key}
              title={<bdi>{file.name}</bdi>}
              about={problem ? <span className="text-danger">{problem}</span> : sizeOf(file.size)}
              actions={
                <Button
                  size="small"
                  disabled={done !== null}
                  onClick={() => setRows((known) => known.filter((row) => row.key !== key))}
                >
                  {t`Remove`}
                </Button>
              }
            />
          ))}
        </ItemList>
      )}
    </SourceForm>
  )
}
