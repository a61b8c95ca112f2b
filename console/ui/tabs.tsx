import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export type Tab = { id: string; label: ReactNode; content: ReactNode }

/** Parts of one thing, of which one shows. Parts that have an address are links with `TabLinks` instead. */
export const Tabs = ({
  tabs,
  value,
  onChange,
  label,
}: {
  tabs: Tab[]
  value?: string
  onChange?: (id: string) => void
  label: string
}) => (
  <Base.Root
    className="tabs"
    {...(value === undefined ? { defaultValue: tabs[0]?.id } : { value })}
    onValueChange={(next) => onChange?.(String(next))}
  >
    <Base.List className="tabs__list" aria-label={label}>
      {tabs.map(({ id, label }) => (
        <Base.Tab key={id} value={id} className="tabs__tab">
          {label}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map(({ id, content }) => (
      <Base.Panel key={id} value={id} className="tabs__panel">
        {content}
      </Base.Panel>
    ))}
  </Base.Root>
)
