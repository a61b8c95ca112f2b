// Whether the draft is saved, and what to do if it can't be.
import type { DraftStore, SaveState } from '../state/draft-store.ts'
import { rich, t } from '../words/t.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'
import { ChangeList, type Difference } from './change-list.tsx'

export const SaveWords = <T,>({ save }: { save: SaveState<T> }) => {
  const words = {
    saved: t`Draft saved`,
    unsaved: t`Saving…`,
    saving: t`Saving…`,
    offline: t`Not saved yet. Your changes are kept in this browser.`,
    refused: t`Not saved`,
    conflict: t`Not saved`,
  }[save.is]
  return <span role="status">{words}</span>
}

export const DraftBanner = <T,>({
  store,
  save,
  definition,
  compare,
}: {
  store: DraftStore<T>
  save: SaveState<T>
  definition: T
  compare: (before: T, after: T) => Difference[]
}) => {
  if (save.is === 'offline')
    return (
      <Banner
        tone="warn"
        action={
          <Button size="small" onClick={() => void store.flush()}>
            {t`Try again`}
          </Button>
        }
      >
        {t`Can’t reach the server. Keep working: your changes are kept in this browser and saved once it’s back.`}
      </Banner>
    )
  if (save.is === 'refused')
    return <Banner tone="danger">{rich`The draft wasn’t saved: ${save.message}`}</Banner>
  if (save.is !== 'conflict') return null
  const { theirs, base } = save
  return (
    <section className="section" aria-label={t`Conflicting changes`}>
      <Banner tone="warn">{t`Someone else changed this draft while you were editing it.`}</Banner>
      <div className="grid-2">
        <div className="stack stack--tight">
          <h2 className="section__title">{t`Their changes`}</h2>
          <ChangeList changes={compare(base, theirs.definition)} />
          <span>
            <Button onClick={store.takeTheirs}>{t`Use theirs`}</Button>
          </span>
        </div>
        <div className="stack stack--tight">
          <h2 className="section__title">{t`Your changes`}</h2>
          <ChangeList changes={compare(base, definition)} />
          <span>
            <Button onClick={() => void store.keepMine()}>{t`Keep mine`}</Button>
          </span>
        </div>
      </div>
      <p className="text-soft text-small">{t`If you use theirs, undo brings yours back.`}</p>
    </section>
  )
}
