import type { FlowTemplate } from './template.ts'

const WAYS_OUT = { retry: { times: 1, then: 'team' }, timeout: { after: 'PT4H', then: 'end' } }

export const CALL_BACK: FlowTemplate = {
  id: 'call-back',
  name: 'Appointment or call-back',
  about:
    'Takes a request for an appointment or a call: what, when, and on which number. Your team confirms it.',
  needs: [],
  beforePublishing: ['Check the words that start it: they should be the ones your customers use.'],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      {
        on: 'message',
        channels: ['web', 'whatsapp', 'facebook', 'telegram', 'sms'],
        words: [
          'appointment',
          'call me',
          'call me back',
          'callback',
          'call back',
          'Termin',
          'Rückruf',
          'rufen Sie mich an',
          'cita',
          'llámenme',
          'que me llamen',
          'agendar',
          'me liguem',
          'me liga',
          'rendez-vous',
          'rappelez-moi',
          'être rappelé',
        ],
      },
    ],
    interrupts: true,
    variables: { kind: { type: 'text' }, day: { type: 'date' }, time: { type: 'text' } },
    start: 'kind',
    blocks: {
      kind: {
        title: 'Call or appointment',
        steps: [
          {
            id: 's1',
            type: 'ask',
            answer: 'choice',
            text: {
              en: 'Gladly. Should we call you, or would you like an appointment?',
              de: 'Gern. Sollen wir Sie anrufen, oder möchten Sie einen Termin?',
              es: 'Con gusto. ¿Prefiere que le llamemos o desea una cita?',
              pt: 'Com prazer. Você prefere que a gente ligue ou quer marcar um horário?',
              fr: 'Volontiers. Souhaitez-vous être rappelé ou prendre rendez-vous ?',
            },
            store: 'run.kind',
            options: [
              {
                id: 'call',
                title: {
                  en: 'Call me',
                  de: 'Rückruf',
                  es: 'Llámenme',
                  pt: 'Quero uma ligação',
                  fr: 'Être rappelé',
                },
                goto: 'number',
              },
              {
                id: 'visit',
                title: {
                  en: 'Appointment',
                  de: 'Termin',
                  es: 'Cita',
                  pt: 'Marcar horário',
                  fr: 'Rendez-vous',
                },
                goto: 'day',
              },
            ],
            ...WAYS_OUT,
          },
        ],
      },
      day: {
        title: 'Day',
        steps: [
          {
            id: 's2',
            type: 'ask',
            answer: 'date',
            text: {
              en: 'Which day suits you? For example: tomorrow, or 14 March.',
              de: 'Welcher Tag passt Ihnen? Zum Beispiel: morgen oder 14.3.',
              es: '¿Qué día le viene bien? Por ejemplo: mañana o 14/3.',
              pt: 'Que dia fica bom para você? Por exemplo: amanhã ou 14/3.',
              fr: 'Quel jour vous convient ? Par exemple : demain ou 14/3.',
            },
            store: 'run.day',
            ...WAYS_OUT,
          },
        ],
        next: 'number',
      },
      number: {
        title: 'Number',
        steps: [
          {
            id: 's3',
            type: 'ask',
            answer: 'phone',
            text: {
              en: 'Which number can we reach you on?',
              de: 'Unter welcher Nummer erreichen wir Sie?',
              es: '¿En qué número podemos localizarle?',
              pt: 'Em que número podemos falar com você?',
              fr: 'À quel numéro pouvons-nous vous joindre ?',
            },
            store: 'contact.phone',
            skipIf: { value: 'contact.phone', op: 'isSet' },
            retry: {
              times: 1,
              text: {
                en: 'We couldn’t read that number. Please include the country code, like +44 20 7946 0000.',
                de: 'Diese Nummer konnten wir nicht lesen. Bitte mit Ländervorwahl, z. B. +49 30 1234567.',
                es: 'No hemos podido leer ese número. Inclúyalo con el prefijo del país, como +34 910 000 000.',
                pt: 'Não conseguimos ler esse número. Inclua o código do país, como +55 11 91234-5678.',
                fr: 'Nous n’avons pas pu lire ce numéro. Indiquez-le avec l’indicatif du pays, comme +33 1 23 45 67 89.',
              },
              then: 'team',
            },
            timeout: { after: 'PT4H', then: 'end' },
          },
          {
            id: 's4',
            type: 'ask',
            answer: 'choice',
            text: {
              en: 'And what time of day is best?',
              de: 'Und welche Tageszeit passt am besten?',
              es: '¿Y a qué hora del día prefiere?',
              pt: 'E qual período é melhor?',
              fr: 'Et à quel moment de la journée ?',
            },
            store: 'run.time',
            options: [
              {
                id: 'morning',
                title: {
                  en: 'Morning',
                  de: 'Vormittags',
                  es: 'Por la mañana',
                  pt: 'De manhã',
                  fr: 'Le matin',
                },
              },
              {
                id: 'afternoon',
                title: {
                  en: 'Afternoon',
                  de: 'Nachmittags',
                  es: 'Por la tarde',
                  pt: 'À tarde',
                  fr: 'L’après-midi',
                },
              },
              {
                id: 'any',
                title: { en: 'Any time', de: 'Egal', es: 'Me da igual', pt: 'Tanto faz', fr: 'Peu importe' },
              },
            ],
            ...WAYS_OUT,
          },
        ],
        next: 'team',
      },
      team: {
        title: 'Over to the team',
        steps: [
          {
            id: 's5',
            type: 'people',
            text: {
              en: 'Thank you, we’ve noted your request. A teammate will confirm the time here.',
              de: 'Vielen Dank, wir haben Ihren Wunsch notiert. Jemand aus dem Team bestätigt Ihnen die Zeit hier.',
              es: 'Gracias, hemos anotado su solicitud. Alguien del equipo le confirmará la hora aquí.',
              pt: 'Obrigado, anotamos o seu pedido. Alguém da equipe vai confirmar o horário por aqui.',
              fr: 'Merci, votre demande est notée. Une personne de l’équipe vous confirmera l’heure ici.',
            },
            summary: 'answers',
          },
        ],
      },
    },
  },
  tests: [
    {
      name: 'A visitor asks to be called and leaves a number',
      channel: 'web',
      language: 'en',
      contact: { phone: '' },
      turns: [
        { say: 'Can you call me back?' },
        { expect: { choices: ['call', 'visit'], waits: 's1' } },
        { tap: 'call' },
        { say: 'my mobile' },
        { expect: { text: 'country code', waits: 's3' } },
        { say: '+44 20 7946 0958' },
        { expect: { choices: ['morning', 'afternoon', 'any'], waits: 's4' } },
        { tap: 'morning' },
        {
          expect: {
            text: 'confirm the time here',
            handedOver: true,
            set: { 'contact.phone': '+442079460958', 'run.time': 'morning' },
          },
        },
      ],
    },
    {
      name: 'Ein Termin mit Tag und Tageszeit',
      channel: 'whatsapp',
      language: 'de',
      at: '2026-11-23T10:00:00Z',
      contact: { phone: '+4930901820' },
      turns: [
        { say: 'Ich brauche einen Termin' },
        { say: 'Termin' },
        { expect: { text: 'Welcher Tag passt Ihnen?', waits: 's2' } },
        { say: 'morgen' },
        { expect: { text: 'Tageszeit', waits: 's4', set: { 'run.day': '2026-11-24' } } },
        { say: '2' },
        { expect: { handedOver: true, ended: 'completed', set: { 'run.time': 'afternoon' } } },
      ],
    },
  ],
}
