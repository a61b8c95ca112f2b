// The templates of the connected numbers, as customers will see them. They are created in WhatsApp Manager.
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileText, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useSession } from '../../state/session.tsx'
import { byName, statusOf, type TemplateVersions, templatesQuery } from '../../state/templates.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmptyState, LoadProblem } from '../../ui/empty-state.tsx'
import { Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { filterItems } from '../../ui/picker.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { rich, t } from '../../words/t.ts'
import { TemplateCard } from './template-card.tsx'

const SHOWN_AT_FIRST = 24

const textOf = ({ name, versions }: TemplateVersions): string =>
  [
    name,
    ...versions.map(
      ({ bodyText, headerText, footerText }) => `${headerText ?? ''} ${bodyText} ${footerText ?? ''}`,
    ),
  ].join(' ')

export const Templates = () => {
  const { api, isAdmin } = useSession()
  const { q = '', status = '' } = useSearch({ from: '/signed/templates' })
  const navigate = useNavigate({ from: '/templates' })
  const [shownMax, setShownMax] = useState(SHOWN_AT_FIRST)
  const { data, error, refetch } = useQuery(templatesQuery(api))
  const all = data?.templates ?? []
  const states = [...new Set(all.map((template) => template.status))].sort()

  const found = useMemo(() => {
    const groups = byName((data?.templates ?? []).filter((it) => !status || it.status === status))
    const items = groups.map((group) => ({ ...group, text: textOf(group) }))
    return q ? filterItems(items, q) : items
  }, [data, q, status])

  return (
    <Page
      title={t`Templates`}
      about={t`Approved messages for broadcasts and for customers who haven’t written in 24 hours. Create them in WhatsApp Manager.`}
    >
      {all.length > 0 && (
        <div className="toolbar">
          <SearchField
            group={t`Templates`}
            label={t`Search templates`}
            placeholder={t`Name or text`}
            value={q}
            onSearch={(text) =>
              void navigate({ search: (known) => ({ ...known, q: text || undefined }), replace: true })
            }
          />
          <Select
            label={t`Status`}
            isLabelHidden
            value={status}
            options={[
              { value: '', label: t`All statuses` },
              ...states.map((value) => ({ value, label: statusOf(value).text })),
            ]}
            onChange={({ target }) =>
              void navigate({
                search: (known) => ({ ...known, status: target.value || undefined }),
                replace: true,
              })
            }
          />
        </div>
      )}
      {(q || status) && data && (
        <p className="text-soft text-small numeric" role="status">
          {rich`${found.length} of ${byName(all).length} templates`}
        </p>
      )}
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton lines={8} label={t`Loading templates`} />
      ) : all.length === 0 ? (
        <EmptyState
          icon={FileText}
          title={t`No templates`}
          action={isAdmin && <ButtonLink to="/settings/channels">{t`View channels`}</ButtonLink>}
        >
          {t`Connect a WhatsApp number and create templates in WhatsApp Manager.`}
        </EmptyState>
      ) : found.length === 0 ? (
        <EmptyState icon={Search} title={t`No matching templates`}>
          {t`Try a shorter search or another status.`}
        </EmptyState>
      ) : (
        <>
          <ul className="gallery" aria-label={t`Templates`}>
            {found.slice(0, shownMax).map(({ name, versions }) => (
              <TemplateCard key={name} name={name} versions={versions} />
            ))}
          </ul>
          {found.length > shownMax && (
            <div className="load-more">
              <Button onClick={() => setShownMax(shownMax + SHOWN_AT_FIRST)}>{t`Show more`}</Button>
            </div>
          )}
        </>
      )}
    </Page>
  )
}
