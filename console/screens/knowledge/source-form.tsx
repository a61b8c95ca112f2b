// The page of a form that adds websites or files, with the settings of the articles that come of them.
import type { ReactNode } from 'react'
import { useSession } from '../../state/session.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Form } from '../../ui/form.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { AudienceFields, SettingFields } from './item-fields.tsx'
import type { ItemForm } from './item-form.ts'

export const SourceForm = ({
  title,
  about,
  form,
  error,
  onChange,
  onSubmit,
  children,
  actions,
}: {
  title: string
  about: string
  form: ItemForm
  error: unknown
  onChange: (change: Partial<ItemForm>) => void
  onSubmit: () => void
  children: ReactNode
  actions: ReactNode
}) => {
  const { can } = useSession()
  return (
    <Page isNarrow title={title} about={about} back={<BackLink to="/knowledge">Knowledge</BackLink>}>
      {!can('manage_knowledge') ? (
        <EmptyState title="You don’t have permission">Ask an admin for “Manage knowledge”.</EmptyState>
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
