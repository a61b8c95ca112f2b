import type { FlowTemplate } from './template.ts'

const YES = [
  'Yes',
  'Yes, please',
  'I’m interested',
  'Ja',
  'Ja, gern',
  'Interessiert mich',
  'Sí',
  'Sí, por favor',
  'Me interesa',
  'Sim',
  'Quero saber mais',
  'Tenho interesse',
  'Oui',
  'Oui, avec plaisir',
  'Ça m’intéresse',
]
const NO = [
  'No',
  'No, thanks',
  'Not now',
  'Nein',
  'Nein, danke',
  'Jetzt nicht',
  'No, gracias',
  'Ahora no',
  'Não',
  'Não, obrigado',
  'Agora não',
  'Non',
  'Non, merci',
  'Pas maintenant',
]
const STOP = [
  'Stop',
  'Unsubscribe',
  'Stop promotions',
  'Abmelden',
  'Abbestellen',
  'Darme de baja',
  'Cancelar suscripción',
  'Parar de receber',
  'Cancelar inscrição',
  'Se désabonner',
  'Ne plus recevoir',
]

export const BROADCAST_ANSWERS: FlowTemplate = {
  id: 'broadcast-answers',
  name: 'Answers to a broadcast',
  about:
    'Handles taps on a broadcast’s buttons: yes becomes a warm lead, no is thanked, stop leaves your audience.',
  needs: [
    { kind: 'tag', id: 'need:interested', name: 'Interested', about: 'Marks customers who tapped yes.' },
    {
      kind: 'tag',
      id: 'need:newsletter',
      name: 'Newsletter',
      about: 'The tag of the people you send broadcasts to. Stop removes it.',
    },
  ],
  beforePublishing: [
    'Your template’s buttons have to be among the words of the trigger. Add yours there and in the block “Which button”.',
    'Send broadcasts to people with the newsletter tag, so that those who tapped stop get no more.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      {
        on: 'message',
        channels: ['whatsapp'],
        words: [...YES, ...NO, ...STOP],
        wordsMode: 'only',
        evenIfAssigned: true,
        when: { value: 'message.choice', op: 'isSet' },
      },
    ],
    interrupts: true,
    start: 'answer',
    blocks: {
      answer: {
        title: 'Which button',
        steps: [
          {
            id: 's1',
            type: 'branch',
            paths: [
              { title: 'Yes', when: { value: 'message.text', op: 'isOneOf', to: YES }, goto: 'yes' },
              { title: 'No', when: { value: 'message.text', op: 'isOneOf', to: NO }, goto: 'no' },
              { title: 'Stop', when: { value: 'message.text', op: 'isOneOf', to: STOP }, goto: 'stop' },
            ],
            else: 'people',
          },
        ],
      },
      yes: {
        title: 'Interested',
        steps: [
          { id: 's2', type: 'tag', add: ['need:interested'] },
          {
            id: 's3',
            type: 'people',
            text: {
              en: 'Great! A teammate will send you the details here.',
              de: 'Das freut uns! Jemand aus unserem Team schickt Ihnen hier alles Weitere.',
              es: '¡Estupendo! Alguien de nuestro equipo le enviará aquí los detalles.',
              pt: 'Que bom! Alguém da nossa equipe vai enviar os detalhes por aqui.',
              fr: 'Parfait ! Une personne de notre équipe vous enverra les détails ici.',
            },
          },
        ],
      },
      no: {
        title: 'Not interested',
        steps: [
          {
            id: 's4',
            type: 'send',
            text: {
              en: 'No problem, thanks for letting us know.',
              de: 'Kein Problem, danke für die Rückmeldung.',
              es: 'No hay problema, gracias por decírnoslo.',
              pt: 'Sem problema, obrigado por avisar.',
              fr: 'Pas de souci, merci de nous l’avoir dit.',
            },
          },
        ],
        next: 'end',
      },
      stop: {
        title: 'No more broadcasts',
        steps: [
          { id: 's5', type: 'tag', remove: ['need:newsletter'] },
          {
            id: 's6',
            type: 'send',
            text: {
              en: 'Done: we won’t send you any more offers. You can still write to us here any time.',
              de: 'Erledigt: Sie erhalten keine Angebote mehr von uns. Schreiben können Sie uns hier weiterhin jederzeit.',
              es: 'Hecho: no le enviaremos más ofertas. Puede seguir escribiéndonos aquí cuando quiera.',
              pt: 'Pronto: não vamos mais enviar ofertas. Você ainda pode escrever aqui quando quiser.',
              fr: 'C’est fait : vous ne recevrez plus nos offres. Vous pouvez toujours nous écrire ici.',
            },
          },
        ],
        next: 'end',
      },
    },
  },
  tests: [
    {
      name: 'Yes becomes a lead for the team',
      channel: 'whatsapp',
      language: 'de',
      turns: [
        { say: 'Ja, gern' },
        {
          expect: { text: 'Das freut uns!', handedOver: true, tags: ['need:interested'], ended: 'completed' },
        },
      ],
    },
    {
      name: 'Stop leaves the audience and says so',
      channel: 'whatsapp',
      language: 'en',
      contact: { tags: ['need:newsletter'] },
      turns: [
        { say: 'Stop promotions' },
        { expect: { text: 'we won’t send you any more offers', handedOver: false, ended: 'completed' } },
      ],
    },
  ],
}
