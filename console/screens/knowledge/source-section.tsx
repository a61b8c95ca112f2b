// The websites and files that articles are read from.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileUp, Globe } from 'lucide-react'
import { useSession } from '../../state/session.tsx'
import { sourcesQuery } from '../../state/sources.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { aboutSource, stateOf } from './source-words.ts'

export const SourceSection = () => {
  const { api, can } = useSession()
  const { data, error, refetch } = useQuery(sourcesQuery(api))
  return (
    <section className="stack stack--tight">
      <div className="row row--wrap row--between">
        <h2 className="section__title">{t`Websites and files`}</h2>
        {can('manage_knowledge') && (
          <span className="row row--wrap">
            <ButtonLink to="/knowledge/website" icon={Globe} size="small">
              {t`Add a website`}
            </ButtonLink>
            <ButtonLink to="/knowledge/files" icon={FileUp} size="small">
              {t`Upload files`}
            </ButtonLink>
          </span>
        )}
      </div>
      <p className="text-soft text-small">{t`Read into articles. Websites are read again every week.`}</p>
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : data.sources.length === 0 ? (
        <p className="text-soft">{t`No websites or files yet.`}</p>
      ) : (
        <ItemList label={t`Websites and files`}>
          {data.sources.map((source) => {
            const { tone, label } = stateOf(source)
            return (
              <Item
                key={source.id}
                title={
                  <>
                    <Link to="/knowledge/sources/$sourceId" params={{ sourceId: source.id }}>
                      <bdi>{source.name}</bdi>
                    </Link>
                    <Badge tone={tone}>{label}</Badge>
                  </>
                }
                about={aboutSource(source)}
              />
            )
          })}
        </ItemList>
      )}
    </section>
  )
}
