import { t } from '../words/t.ts'
import { Badge, type Tone } from './badge.tsx'

export type Difference = {
  kind: 'added' | 'removed' | 'changed' | 'moved'
  words: string
  /** What exactly changed, one line each. */
  lines: string[]
}

const LOOKS: Record<Difference['kind'], { word: string; tone: Tone }> = {
  added: { word: t`Added`, tone: 'ok' },
  removed: { word: t`Removed`, tone: 'danger' },
  changed: { word: t`Changed`, tone: 'accent' },
  moved: { word: t`Moved`, tone: 'plain' },
}

/** What differs between two drafts or versions. */
export const ChangeList = ({ changes }: { changes: Difference[] }) =>
  changes.length === 0 ? (
    <p className="text-soft">{t`No differences.`}</p>
  ) : (
    <ul className="stack stack--tight">
      {changes.map(({ kind, words, lines }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: differences have no identity
        <li key={at} className="row row--top">
          <Badge tone={LOOKS[kind].tone}>{LOOKS[kind].word}</Badge>
          <div className="grow">
            <bdi>{words}</bdi>
            {lines.map((line) => (
              <div key={line} className="text-soft text-small user-text">
                {line}
              </div>
            ))}
          </div>
        </li>
      ))}
    </ul>
  )
