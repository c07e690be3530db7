/*
 * svg.sql: functions that write the elements of an SVG picture as text.  demo.sql includes it; pictures.sql calls the
 * functions.  They are temporary: nothing of them stays in the database.
 *
 * The colours are those of Okabe and Ito (jfly.uni-koeln.de/color), which people who do not see all colours can tell
 * apart.  The ground is white, so that the pictures can be read on a dark page too.
 */

-- Where value lies between to_low and to_high if low lies at to_low and high at to_high.
CREATE FUNCTION pg_temp.map(value float8, low float8, high float8, to_low float8, to_high float8) RETURNS float8
LANGUAGE sql IMMUTABLE AS $$
    SELECT to_low + (value - low) / (high - low) * (to_high - to_low)
$$;

-- A coordinate, with one decimal.
CREATE FUNCTION pg_temp.coord(x float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT trim_scale(round(x::numeric, 1))::text $$;

CREATE FUNCTION pg_temp.escaped(content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT replace(replace(replace(replace(content, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;')
$$;

-- Text; its white edge keeps it readable where it crosses a line.
CREATE FUNCTION pg_temp.label(x float8, y float8, content text, anchor text DEFAULT 'start', size int DEFAULT 13,
                              colour text DEFAULT '#333333', weight text DEFAULT 'normal') RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT format('<text x="%s" y="%s" text-anchor="%s" font-size="%s" fill="%s" font-weight="%s" stroke="white" stroke-width="4" paint-order="stroke">%s</text>',
                  pg_temp.coord(x), pg_temp.coord(y), anchor, size, colour, weight, pg_temp.escaped(content))
$$;

CREATE FUNCTION pg_temp.line(x1 float8, y1 float8, x2 float8, y2 float8, colour text DEFAULT '#dddddd', width float8 DEFAULT 1) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT format('<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"/>',
                  pg_temp.coord(x1), pg_temp.coord(y1), pg_temp.coord(x2), pg_temp.coord(y2), colour, width)
$$;

CREATE FUNCTION pg_temp.box(x float8, y float8, width float8, height float8, colour text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT format('<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>',
                  pg_temp.coord(x), pg_temp.coord(y), pg_temp.coord(width), pg_temp.coord(height), colour)
$$;

CREATE FUNCTION pg_temp.dot(x float8, y float8, radius float8, colour text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT format('<circle cx="%s" cy="%s" r="%s" fill="%s" stroke="white"/>', pg_temp.coord(x), pg_temp.coord(y), radius, colour)
$$;

-- A point of a curve or an area.
CREATE FUNCTION pg_temp.point(x float8, y float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT pg_temp.coord(x) || ',' || pg_temp.coord(y)
$$;

CREATE FUNCTION pg_temp.curve(points text, colour text, width float8 DEFAULT 1.5) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT format('<polyline points="%s" fill="none" stroke="%s" stroke-width="%s" stroke-linejoin="round"/>', points, colour, width)
$$;

CREATE FUNCTION pg_temp.area(points text, colour text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT format('<polygon points="%s" fill="%s"/>', points, colour)
$$;

-- A whole picture: its title and what the title means, its elements, and where the data are from.
CREATE FUNCTION pg_temp.picture(width int, height int, title text, subtitle text, source text, elements text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
    SELECT concat_ws(E'\n',
        '<?xml version="1.0" encoding="UTF-8"?>',
        format('<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="Helvetica, Arial, sans-serif">',
               width, height, width, height),
        '<title>' || pg_temp.escaped(title) || '</title>',
        pg_temp.box(0, 0, width, height, 'white'),
        pg_temp.label(24, 34, title, 'start', 20, '#111111', 'bold'),
        pg_temp.label(24, 56, subtitle, 'start', 13, '#555555'),
        elements,
        pg_temp.label(24, height - 14, source, 'start', 11, '#767676'),
        '</svg>')
$$;
