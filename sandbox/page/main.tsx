// The page: people on the left, the selected person's phone in the middle, the tools on the right.
import './style/index.css'
import { lazy, StrictMode, Suspense, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { classNames } from '../../console/ui/class-names.ts'
import { Toasts } from '../../console/ui/toast.tsx'
import { TooltipLayer } from '../../console/ui/tooltip.tsx'
import { follow } from './events.ts'
import { PeopleList } from './people-list.tsx'
import { Phone } from './phone.tsx'
import { choosePerson, update, useStore } from './store.ts'
import { Tools } from './tools.tsx'

const Model = lazy(() => import('./model.tsx').then((module) => ({ default: module.Model })))

const Receiver = lazy(() => import('./receiver.tsx').then((module) => ({ default: module.Receiver })))

const NewPerson = lazy(() => import('./new-person.tsx').then((module) => ({ default: module.NewPerson })))

const closeTools = (): void => update({ areToolsOpen: false })

const Page = () => {
  const { personId, areToolsOpen, screen } = useStore()
  const [isAdding, setAdding] = useState(false)
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && closeTools()
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <div
      className={classNames(
        'sandbox',
        (personId || screen !== 'phone') && 'in-thread',
        areToolsOpen && 'with-tools',
      )}
    >
      <PeopleList onNew={() => setAdding(true)} />
      {screen === 'phone' ? (
        <Phone />
      ) : (
        <Suspense fallback={<main className="phone" />}>
          {screen === 'model' ? <Model /> : <Receiver />}
        </Suspense>
      )}
      {areToolsOpen && (
        <button type="button" className="veil" aria-label="Close tools" tabIndex={-1} onClick={closeTools} />
      )}
      <Tools />
      <Suspense>
        {isAdding && (
          <NewPerson
            onClose={() => setAdding(false)}
            onAdded={(person) => {
              setAdding(false)
              choosePerson(person)
            }}
          />
        )}
      </Suspense>
      <Toasts />
      <TooltipLayer />
    </div>
  )
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Page />
  </StrictMode>,
)
follow()
