// The answers or the articles that pass the filters.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agoOf } from '../../state/dates.ts'
import {
  type KnowledgeFilter,
  type KnowledgeKind,
  knowledgeListQuery,
  type ListedItem,
} from '../../state/knowledge.ts'
import { useSession } from '../../state/session.tsx'
import { languageName } from '../../state/templates.ts'
import { Badge } from '../../ui/badge.tsx'
import { LoadProblem } from '../../ui/empty-state.tsx'
import { Item, ItemList } from '../../ui/item-list.tsx'
import { LoadMore } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/spinner.tsx'
import { t } from '../../words/t.ts'
import { dayOf, isPastReview, KIND_WORDS } from './words.ts'

export const ItemSection = ({
  kind,
  filter,
  isFiltered,
}: {
  kind: KnowledgeKind
  filter: KnowledgeFilter
  isFiltered: boolean
}) => {
  const { api, can } = useSession()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    knowledgeListQuery(api, kind, filter),
  )
  const { one, many, about } = KIND_WORDS[kind]
  const items = data?.pages.flatMap((page) => page.items) ?? []
  return (
    <section className="stack stack--tight">
      <h2 className="section__title">{many}</h2>
      <p className="text-soft text-small">{about}</p>
      {error && !data ? (
        <LoadProblem error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} />
      ) : items.length === 0 ? (
        <p className="text-soft">
          {isFiltered
            ? t`No matching ${many.toLowerCase()}.`
            : t`No ${many.toLowerCase()} yet.${can('manage_knowledge') ? t` Create an ${one}, or paste the text of your help pages.` : ''}`}
        </p>
      ) : (
        <ItemList label={many}>
          {items.map((item) => (
            <Row key={item.id} kind={kind} item={item} />
          ))}
        </ItemList>
      )}
      {hasNextPage && <LoadMore isBusy={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
    </section>
  )
}

const Row = ({ kind, item }: { kind: KnowledgeKind; item: ListedItem }) => {
  const { title, state, isInternal, language, phrasings, reviewBy, updatedAt } = item
  const details = [
    languageName(language),
    phrasings && (phrasings.length === 1 ? t`1 phrasing` : t`${phrasings.length} phrasings`),
    t`changed ${agoOf(updatedAt)}`,
  ]
  return (
    <Item
      title={
        <>
          <Link to="/knowledge/$kind/$itemId" params={{ kind, itemId: item.id }}>
            <bdi>{title}</bdi>
          </Link>
          {state === 'draft' && <Badge>{t`Draft`}</Badge>}
          {isInternal && <Badge tone="accent">{t`Internal`}</Badge>}
          {isPastReview(reviewBy, dayOf(new Date())) && <Badge tone="warn">{t`Review due`}</Badge>}
        </>
      }
      about={details.filter(Boolean).join(' · ')}
    />
  )
}
