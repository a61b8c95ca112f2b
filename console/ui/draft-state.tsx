// Whether the draft is saved, and what to do if it can't be.
import type { DraftStore, SaveState } from '../state/draft-store.ts'
import { Banner } from './banner.tsx'
import { Button } from './button.tsx'
import { ChangeList, type Difference } from './change-list.tsx'

export const SaveWords = <T,>({ save }: { save: SaveState<T> }) => {
  const words = {
    saved: 'Draft saved',
    unsaved: 'Saving…',
    saving: 'Saving…',
    offline: 'Not saved yet. Your changes are kept in this browser.',
    refused: 'Not saved',
    conflict: 'Not saved',
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
            Try again
          </Button>
        }
      >
        Can’t reach the server. Keep working: your changes are kept in this browser and saved once it’s back.
      </Banner>
    )
  if (save.is === 'refused') return <Banner tone="danger">The draft wasn’t saved: {save.message}</Banner>
  if (save.is !== 'conflict') return null
  const { theirs, base } = save
  return (
    <section className="section" aria-label="Conflicting changes">
      <Banner tone="warn">Someone else changed this draft while you were editing it.</Banner>
      <div className="grid-2">
        <div className="stack stack--tight">
          <h2 className="section__title">Their changes</h2>
          <ChangeList changes={compare(base, theirs.definition)} />
          <span>
            <Button onClick={store.takeTheirs}>Use theirs</Button>
          </span>
        </div>
        <div className="stack stack--tight">
          <h2 className="section__title">Your changes</h2>
          <ChangeList changes={compare(base, definition)} />
          <span>
            <Button onClick={() => void store.keepMine()}>Keep mine</Button>
          </span>
        </div>
      </div>
      <p className="text-soft text-small">If you use theirs, undo brings yours back.</p>
    </section>
  )
}
