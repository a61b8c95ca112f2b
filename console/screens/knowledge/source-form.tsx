// The page of a form that adds or changes websites or files, with the settings of the articles that come of them.
import type { ReactNode } from 'react'
import { useSession } from '../../state/session.tsx'
import type { SourceSettings } from '../../state/sources.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { t } from '../../words/t.ts'
import { AudienceFields, SettingFields } from './item-fields.tsx'
import type { ItemForm } from './item-form.ts'

type Updates = SourceSettings['updates']

export const UpdatesField = ({ value, onChange }: { value: Updates; onChange: (value: Updates) => void }) => (
  <Select
    label={t`When a page changes`}
    value={value}
    options={[
      { value: 'review', label: t`Show me what changed before it’s used` },
      { value: 'publish', label: t`Use the new text right away` },
    ]}
    onChange={({ target }) => onChange(target.value === 'publish' ? 'publish' : 'review')}
  />
)

export const SourceForm = ({
  title,
  about,
  back = <BackLink to="/knowledge">{t`Knowledge`}</BackLink>,
  form,
  error,
  onChange,
  onSubmit,
  children,
  actions,
}: {
  title: string
  about: string
  back?: ReactNode
  form: ItemForm
  error: unknown
  onChange: (change: Partial<ItemForm>) => void
  onSubmit: () => void
  children: ReactNode
  actions: ReactNode
}) => {
  const { can } = useSession()
  return (
    <Page isNarrow title={title} about={about} back={back}>
      {!can('manage_knowledge') ? (
        <EmptyState
          title={t`You don’t have permission`}
        >{t`Ask an admin for “Manage knowledge”.`}</EmptyState>
      ) : (
        <Form error={error} onSubmit={onSubmit}>
          <Section>
            <div className="stack stack--fields">
              {children}
              <SettingFields form={form} onChange={onChange} />
            </div>
          </Section>
          <AudienceFields form={form} onChange={onChange} />
          <div className="row row--wrap">{actions}</div>
        </Form>
      )}
    </Page>
  )
}
