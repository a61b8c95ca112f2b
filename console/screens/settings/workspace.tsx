import { useMutation } from '@tanstack/react-query'
import { useApi } from '../../state/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Section } from '../../ui/page.tsx'
import { SidePage } from '../../ui/side-pages.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast.tsx'
import { t } from '../../words/t.ts'
import { useSetting, useSettingsChanged } from './use-setting.ts'

type Answer = { workspace: { id: string; name: string } }

export const WorkspaceSettings = () => {
  const api = useApi()
  const { data, error, refetch } = useSetting<Answer>('workspace', '/workspace')
  const changed = useSettingsChanged()
  const rename = useMutation({
    mutationFn: (name: string) => api.patch<Answer>('/workspace', { name }),
    onSuccess: async () => {
      await changed()
      toast(t`Workspace renamed`)
    },
  })
  return (
    <SidePage title={t`Workspace`} about={t`Settings for the whole workspace.`}>
      {error ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={3} />
      ) : (
        <>
          <Section>
            <Form error={rename.error} onSubmit={({ name = '' }) => rename.mutate(name.trim())}>
              <TextField
                label={t`Name`}
                name="name"
                hint={t`Shown to customers and members.`}
                defaultValue={data.workspace.name}
                maxLength={120}
                autoComplete="off"
              />
              <div className="row">
                <Button type="submit" variant="primary" isBusy={rename.isPending}>
                  {t`Save`}
                </Button>
              </div>
            </Form>
          </Section>
          <Section>
            <CopyField
              label={t`Workspace ID`}
              hint={t`Use it as --workspace on the command line.`}
              value={data.workspace.id}
            />
          </Section>
        </>
      )}
    </SidePage>
  )
}
